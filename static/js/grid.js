// A grid of amounts: Enter and the arrow keys lead from row to row, and the sum stands beside the
// cash that was counted. The server reads every amount again: this only spares a way there and back.
(() => {
  const THOUSANDTHS = 1000n;

  // An amount in thousandths, 0 for an empty field, null for what has no one reading here.
  const read = (text, group) => {
    const bare = text.trim();
    if (!bare) return 0n;
    const thousands = group === "," && /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(bare);
    const plain = thousands ? bare.replaceAll(",", "") : bare.replace(/(\d)[ '\u00a0](?=\d{3}(\D|$))/g, "$1");
    const found = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(plain);
    return found && BigInt(found[1]) * THOUSANDTHS + BigInt((found[2] ?? "").padEnd(3, "0"));
  };
  const write = (amount, locale) => {
    const size = amount < 0n ? -amount : amount;
    const decimals = String(size % THOUSANDTHS).padStart(3, "0").replace(/0$/, "");
    return `${(size / THOUSANDTHS).toLocaleString(locale)}.${decimals}`;
  };

  const begin = (form) => {
    const rows = [...form.querySelectorAll(".amounts tbody input")];
    const counted = form.elements.counted;
    const line = form.querySelector("[data-sum]");
    const { group } = form.dataset;
    const locale = document.documentElement.lang || "en";

    const show = () => {
      const amounts = rows.map((row) => read(row.value, group));
      const unread = rows.filter((_, place) => amounts[place] === null);
      const sum = amounts.reduce((total, amount) => total + (amount ?? 0n), 0n);
      const parts = [`${line.dataset.words}: ${write(sum, locale)}`];
      if (unread.length) {
        const numbers = unread.map((row) => row.name.replace("row-", ""));
        parts.push(`${line.dataset.unread} ${numbers.join(", ")}`);
      } else if (counted.value.trim()) {
        const cash = read(counted.value, group);
        const { equal, over, missing } = line.dataset;
        if (cash === sum) parts.push(equal);
        else if (cash !== null) parts.push(`${cash > sum ? over : missing} ${write(cash - sum, locale)}`);
      }
      line.textContent = parts.join(" · ");
    };
    const move = (field, step) => {
      const next = [...rows, counted][rows.indexOf(field) + step];
      if (!next) return;
      next.focus();
      next.select();
    };

    form.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      const isRow = rows.includes(event.target);
      const steps = { Enter: 1, ArrowDown: 1, ArrowUp: -1 };
      if (isRow && event.key in steps) {
        event.preventDefault();
        move(event.target, event.shiftKey && event.key === "Enter" ? -1 : steps[event.key]);
      } else if (event.target === counted && event.key === "ArrowUp") {
        event.preventDefault();
        rows.at(-1)?.focus();
      }
    });
    form.addEventListener("input", show);
    counted.addEventListener("change", () => {
      document.dispatchEvent(new CustomEvent("announce", { detail: { value: line.textContent } }));
    });
    // After what was typed before has come back (autosave.js).
    form.addEventListener("restored", show);
    form.addEventListener("reset", () => setTimeout(show));
    line.hidden = false;
    show();
  };

  for (const form of document.querySelectorAll("form[data-grid]")) begin(form);
})();
