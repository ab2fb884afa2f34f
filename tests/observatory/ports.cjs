// Loaded into the Observatory by Node: what it asks ports 80 and 443 of is asked of these ports here.
const net = require("node:net");

const here = JSON.parse(process.env.PORTS_HERE);
const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const port = here[options.port];
  if (!port) throw new Error(`nothing but this machine is asked, not port ${options.port}`);
  Object.assign(options, { host: "127.0.0.1", port });
  return connect.apply(this, args);
};
