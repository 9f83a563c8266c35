/** A count as people read it: `10,000`. `toLocaleString` takes 10 ms for the first one of a process. */
export function renderCount(count: number): string {
  const digits = String(count);
  return digits.length < 4 ? digits : digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** Tags text whose numbers are counts: `9,000 of 10,000`. */
export function withCounts(words: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: words }, ...values.map((value) => (typeof value === "number" ? renderCount(value) : value)));
}

/** `1 turn`, `2 turns`, `10,000 turns`. */
export function plural(count: number, noun: string): string {
  return `${renderCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Such as `2nd`. */
export function ordinal(position: number): string {
  const isTeen = position % 100 > 10 && position % 100 < 14;
  return `${renderCount(position)}${isTeen ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th")}`;
}
