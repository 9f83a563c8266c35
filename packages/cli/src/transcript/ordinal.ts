const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const endings: { [Rule in Intl.LDMLPluralRule]?: string } = { one: "st", two: "nd", few: "rd" };

/** Such as `2nd`. */
export function ordinal(number: number): string {
  return `${number}${endings[ordinals.select(number)] ?? "th"}`;
}
