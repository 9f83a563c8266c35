import { formats, type ReporterDefinition, type RunEventBody } from "@kindlm/core";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { inSuite, passedCase } from "../../../core/src/__fixtures__/sample-run.js";
import { fakeEnvironment } from "../__fixtures__/fake-environment.js";
import { runEnd, runStart, stamped } from "../__fixtures__/progress-events.js";
import { RenderAhead } from "./render-ahead.js";
import { renderOptionsFor } from "./render-options.js";

const given = { flags: {}, global: { config: [], verbose: false, color: false }, environment: fakeEnvironment() };
const options = renderOptionsFor(given, [], null)(null);

const json = formats.find(({ name }) => name === "json") as ReporterDefinition;
// Loading it takes many turns the first time.
await json.loadRenderCase?.();

async function caseEnds(count: number, suffix = ""): Promise<RunEventBody[]> {
  const run = inSuite(Array.from({ length: count }, (_, index) => passedCase(`${index}${suffix}`)));
  const ends: RunEventBody[] = [];
  for (const result of run.suites.flatMap(({ tests }) => tests)) {
    for await (const trial of run.trials(result.id)) {
      ends.push({ channel: "progress", type: "case:end", suite: "s", result, assertions: trial.assertions, trial });
    }
  }
  return ends;
}

function open(reporter: ReporterDefinition = json) {
  const ahead = new RenderAhead([reporter], options, given.environment.redactor);
  return {
    tell: (...bodies: RunEventBody[]) => bodies.forEach((body) => ahead.listener?.(stamped(body, 0))),
    texts: () => [...(ahead.textsOf(reporter)?.values() ?? [])],
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

it("renders a case in each turn in which nothing of the run happens", async () => {
  const { tell, texts } = open();
  const ends = await caseEnds(3);
  tell(runStart(4));
  await turns(5);
  tell(...ends);
  for (let turn = 0; turn < 5; turn += 1) {
    await turns(1);
    tell({ channel: "progress", type: "suite:start", suite: "s", cases: 3 });
  }
  expect(texts()).toEqual([]);
  await turns(2);
  expect(texts().length).toBe(1);
  await turns(5);
  expect(texts().map((text) => /"name":"(\d)"/.exec(text)?.[1])).toEqual(["0", "1", "2"]);
});

it("holds few cases that wait, and none when the run has ended", async () => {
  const { tell, texts } = open();
  tell(runStart(200));
  await turns(5);
  tell(...(await caseEnds(200)));
  await turns(300);
  expect(texts().length).toBe(64);
  tell(...(await caseEnds(5, "b")), runEnd);
  await turns(20);
  expect(texts().length).toBe(64);
});

it("stops when there is much text", async () => {
  const { tell, texts } = open({ ...json, loadRenderCase: async () => () => "x".repeat(1_048_576) });
  tell(runStart(20));
  await turns(5);
  tell(...(await caseEnds(20)));
  await turns(40);
  tell(...(await caseEnds(20, "b")));
  await turns(40);
  expect(texts().length).toBeGreaterThanOrEqual(4);
  expect(texts().length).toBeLessThanOrEqual(20);
});

it("leaves a case that cannot be rendered to the report", async () => {
  const failing = async () => () => {
    throw new Error("broken");
  };
  const { tell, texts } = open({ ...json, loadRenderCase: failing });
  tell(runStart(1));
  await turns(5);
  tell(...(await caseEnds(1)));
  await turns(5);
  expect(texts()).toEqual([]);
});

it("follows no run whose reports are not rendered ahead", () => {
  const pretty = { ...json, loadRenderCase: undefined };
  expect(new RenderAhead([pretty], options, given.environment.redactor).listener).toBeNull();
});
