import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

/** The minified one is half as long, and goes to the browser for every document. */
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules whose answer depends on the color scheme. No other rule reads a color. */
const ofColors = ["color-contrast", "link-in-text-block"];
const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

type ColorScheme = "light" | "dark";

/**
 * What keeps people from reading the page that a browser shows, on a desktop and on a phone, in light and in dark colors:
 * what axe finds, and what is wider than the window. Colors alone are looked at again in the other scheme. The page is
 * left light and wide.
 */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [size, colorScheme, isAgain] of [
    [phone, "light", false],
    [phone, "dark", true],
    [desktop, "dark", true],
    [desktop, "light", false],
  ] as const) {
    await page.setViewportSize(size);
    found.push(...(await findIn(page, colorScheme, isAgain)).map((one) => `${size.width} ${colorScheme}: ${one}`));
  }
  return found;
}

/** The same on the screen that the page has, in both color schemes. */
export async function findBarriersHere(page: Page): Promise<readonly string[]> {
  return [...(await findIn(page, "light", false)), ...(await findIn(page, "dark", true))];
}

async function findIn(page: Page, colorScheme: ColorScheme, isAgain: boolean): Promise<readonly string[]> {
  // Nothing that fades is looked at half way.
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // The compiled text has no value: all of axe would be the answer.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(`${axe};0`);
  const options = { runOnly: isAgain ? ofColors : tags, resultTypes: ["violations"] };
  const problems = await page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" ")))`,
  );
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return over > 0 ? [...problems, `${over} px wider than the window`] : problems;
}
