import { expect, it } from "vitest";
import { pages, proseWords, readPage } from "./support/docs/pages.js";

/** Words of prose: code and tables are looked up, not read. */
const guide = 900;

/** Pages with their own budget: shorter ones, and those that need more, with the reason. */
const budgets: Readonly<Record<string, number>> = {
  "README.md": 450,
  "docs/README.md": 750, // The list of all pages, from which the sidebar is made.
  "docs/calibrate-judge.md": 500,
  "docs/cassettes.md": 800,
  "docs/ci.md": 500,
  "docs/comparing-models.md": 400,
  "docs/conversations.md": 600,
  "docs/custom-checks.md": 500,
  "docs/datasets.md": 600,
  "docs/debug.md": 600,
  "docs/doctor.md": 400,
  "docs/editors.md": 250,
  "docs/effects.md": 350,
  "docs/from-promptfoo.md": 700,
  "docs/gates.md": 700,
  "docs/how-it-works.md": 800,
  "docs/judges.md": 800,
  "docs/library.md": 450,
  "docs/matchers.md": 500,
  "docs/method.md": 1500, // Estimators, tests and their sources, for those who check them.
  "docs/offline.md": 450,
  "docs/offline-scoring.md": 800,
  "docs/plugins.md": 800,
  "docs/costs.md": 500,
  "docs/proxy.md": 600,
  "docs/quick-start.md": 450,
  "docs/real-model.md": 450,
  "docs/real-tools.md": 700,
  "docs/runs.md": 700,
  "docs/security.md": 400,
  "docs/sharding.md": 600,
  "docs/similarity.md": 800,
  "docs/simulated-tools.md": 700,
  "docs/simulated-users.md": 700,
  "docs/target-command.md": 600,
  "docs/target-http.md": 500,
  "docs/targets.md": 400,
  "docs/troubleshooting.md": 700,
  "docs/trust.md": 500,
  "docs/vacuity.md": 400,
  "docs/verdicts.md": 500,
};

it("has no page that is longer than its budget", () => {
  const counted = pages.map((page) => ({ page, words: proseWords(readPage(page)), budget: budgets[page] ?? guide }));
  const tooLong = counted.filter(({ words, budget }) => words > budget);
  expect(tooLong, "Split the page, or remove what the reader does not need").toEqual([]);
});

it("has a README of at most 120 lines", () => {
  expect(readPage("README.md").split("\n").length).toBeLessThanOrEqual(121);
});
