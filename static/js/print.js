// A sheet that was opened to be printed asks for the printer by itself.
addEventListener("load", () => window.print());
