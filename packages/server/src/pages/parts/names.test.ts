import { expect, it } from "vitest";
import { Name } from "./names.js";

async function shown(text: string, isWhole = false): Promise<string> {
  const name = await Name({ text, isWhole });
  return name.toString();
}

it("a long name is cut in the middle of it, never in a character, unless the page is about it", async () => {
  const long = `suite/${"😀".repeat(100)}-row-17`;
  const text = await shown(long);
  expect(text).toContain(`title="${long}"`);
  expect(text).toMatch(/>suite\/(😀)+…(😀)+-row-17<\/bdi>$/u);
  expect(text.split(">")[1]?.length).toBeLessThan(175);
  expect(await shown(long, true)).toBe(`<bdi class="name">${long}</bdi>`);
  expect(await shown("suite/a")).toBe('<bdi class="name">suite/a</bdi>');
});
