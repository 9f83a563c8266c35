import { expect, it } from "vitest";
import { killPayingRun } from "./support/paying-runs.js";

it("a run that is killed while its agent pays pays nothing twice and loses nothing, however often it is resumed", async () => {
  const endings = await Promise.all(Array.from({ length: 2 }, (_, kill) => killPayingRun(kill + 1, 4)));
  expect(endings.filter(({ passed }) => passed > 0)).not.toEqual([]);
});
