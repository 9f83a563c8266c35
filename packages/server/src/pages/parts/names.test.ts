import { expect, it } from "vitest";
import { Name } from "./names.js";

const shown = (text: string, isWhole = false): string => String(Name({ text, isWhole }));

it("a long name is cut in the middle of it, never in a character, unless the page is about it", () => {
  const long = `suite/${"😀".repeat(100)}-row-17`;
  const text = shown(long);
  expect(text).toContain(`title="${long}"`);
  expect(text).toMatch(/>suite\/(😀)+…(😀)+-row-17<\/bdi>$/u);
  expect(text.split(">")[1]?.length).toBeLessThan(175);
  expect(shown(long, true)).toBe(`<bdi class="name">${long}</bdi>`);
  expect(shown("suite/a")).toBe('<bdi class="name">suite/a</bdi>');
});
