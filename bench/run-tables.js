import { hashText } from "../packages/core/build/values/random.js";
import { confirmTogether } from "../packages/core/build/statistics/confirm-comparison.js";
import { decideTogether } from "../packages/core/build/statistics/decide-comparison.js";
import { measureSuite } from "../packages/core/build/statistics/measure-suite.js";
import { flagCases } from "../packages/core/build/statistics/flag-cases.js";
import { lowered, percent } from "./comparison-tables.js";
import { createRuns, ratesOf } from "./simulated-runs.js";

// Only `regressed` is asked for, and a margin of 1 spares the search for what would decide.
const levels = { margin: 1 };
const isRegressed = ({ verdict }) => verdict === "regressed";

/**
 * Pairs of runs of several suites. Counts the pairs with an alarm, and the alarms of the first `changed` suites, if each
 * suite is decided by itself, if all are decided together, and on fresh trials after that.
 */
function countAlarms(name, { suites, designs, times, changed = 0 }) {
  const pair = createRuns(hashText(name));
  const seen = { apart: 0, together: 0, confirmed: 0, foundApart: 0, foundTogether: 0, foundConfirmed: 0 };
  for (let time = 0; time < times; time += 1) {
    const measured = Array.from({ length: suites }, (_, suite) => {
      const cases = pair(designs(suite));
      const seed = time * suites + suite;
      return { ...measureSuite(cases, seed), compared: cases, seed, design: designs(suite) };
    });
    const decide = decideTogether(measured, levels);
    const first = measured.map((suite) => {
      const verdict = decide(suite);
      const { compared, seed, design } = suite;
      // Only alarms are tried again.
      const isAlarm = isRegressed(verdict);
      const fresh = isAlarm ? pair(design).map(({ caseId, candidate }) => [caseId, candidate]) : [];
      return { verdict, flags: isAlarm ? flagCases(compared) : [], cases: compared, seed, fresh: new Map(fresh) };
    });
    const confirm = confirmTogether(first, levels);
    const alarms = {
      apart: measured.map((suite) => isRegressed(decideTogether([suite], levels)(suite))),
      together: first.map(({ verdict }) => isRegressed(verdict)),
      confirmed: first.map((suite) => isRegressed(confirm(suite).verdict)),
    };
    for (const [how, all] of Object.entries(alarms)) {
      if (all.includes(true)) seen[how] += 1;
      const found = all.slice(0, changed).filter(Boolean).length;
      seen[`found${how[0].toUpperCase()}${how.slice(1)}`] += found / Math.max(1, changed);
    }
  }
  return Object.fromEntries(Object.entries(seen).map(([key, count]) => [key, percent(count / times)]));
}

/** Nothing changed in any suite. */
function* runAlarms([suites, cases, trials]) {
  for (const kind of ["0.9", "uneven"]) {
    const before = ratesOf(kind === "uneven" ? kind : Number(kind), cases);
    const name = `run alarms ${suites} ${cases} ${trials} ${kind}`;
    const seen = countAlarms(name, { suites, designs: () => ({ before, trials }), times: 2_000 });
    yield* [seen.apart, seen.together, seen.confirmed];
  }
}

/** Of ten suites one fell from 0.9 to 0.7, or all did. */
function* runPower([suites, cases, trials]) {
  const before = ratesOf(0.9, cases);
  const after = lowered(before, 0.2);
  for (const changed of [1, suites]) {
    const name = `run power ${suites} ${cases} ${trials} ${changed}`;
    const designs = (suite) => ({ before, after: suite < changed ? after : before, trials });
    const seen = countAlarms(name, { suites, designs, times: 500, changed });
    yield* [seen.foundApart, seen.foundTogether, seen.foundConfirmed];
  }
}

/** How often an unchanged run has a case that is flagged as worse. */
function runFlags([suites, cases, trials]) {
  return [0.9, 0.7, "uneven"].map((kind) => {
    const pair = createRuns(hashText(`run flags ${suites} ${cases} ${trials} ${kind}`));
    const design = { before: ratesOf(kind, cases), trials };
    const isFlagged = () => flagCases(pair(design)).some(({ change }) => change === "worse");
    let seen = 0;
    // Every suite is drawn, flagged or not, so that each pair starts from the same draws.
    for (let time = 0; time < 500; time += 1) if (Array.from({ length: suites }, isFlagged).includes(true)) seen += 1;
    return percent(seen / 500);
  });
}

const named = ([suites, cases, trials]) => `${suites === 1 ? "1 suite" : `${suites} suites`}, ${cases} × ${trials}`;

export const runTables = {
  "run-alarms": {
    head: [
      "suites, cases × trials",
      "0.9: each by itself",
      "together",
      "confirmed",
      "uneven rates: each by itself",
      "together",
      "confirmed",
    ],
    rows: [
      [2, 20, 1],
      [2, 20, 5],
      [10, 20, 1],
      [10, 20, 3],
      [10, 20, 5],
      [10, 50, 5],
      [30, 20, 5],
    ],
    name: named,
    cells: runAlarms,
  },
  "run-power": {
    head: [
      "suites, cases × trials",
      "one fell: each by itself",
      "together",
      "confirmed",
      "all fell: each by itself",
      "together",
      "confirmed",
    ],
    rows: [
      [2, 20, 1],
      [2, 20, 5],
      [10, 20, 1],
      [10, 20, 3],
      [10, 20, 5],
      [10, 50, 3],
      [30, 20, 5],
    ],
    name: named,
    cells: runPower,
  },
  "run-flags": {
    head: ["suites, cases × trials", "rate 0.9", "rate 0.7", "uneven rates"],
    rows: [
      [1, 20, 10],
      [10, 20, 3],
      [10, 20, 5],
      [10, 20, 10],
      [10, 20, 30],
    ],
    name: named,
    cells: runFlags,
  },
};
