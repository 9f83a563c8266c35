import { expect, it } from "vitest";
import { differences, identityAfter, type Changes } from "./__fixtures__/identity-project.js";

const test = "suites.0.tests.0";
const judged = [{ type: "judge", criteria: "c" }];
const approved = { retry_until: { assert: judged } };
const checked = [{ type: "contains", value: "x" }];

const embedded = [{ type: "similar", reference: "r", method: "embedding" }];

const withEmbedder = (embedder: string, more: Changes = {}): Changes => ({
  [`${test}.assert`]: embedded,
  [`${test}.embedder`]: embedder,
  ...more,
});

const withJudge = (judge: string, more: Changes = {}): Changes => ({
  [`${test}.assert`]: judged,
  [`${test}.judge`]: judge,
  ...more,
});

it.each<[what: string, one: Changes, other: Changes, changed: string]>([
  ["another judge", withJudge("other"), withJudge("scripted"), "scoring check"],
  [
    "another place of the same judge",
    withJudge("other"),
    { [`${test}.assert`]: judged, "defaults.judge": "other" },
    "none",
  ],
  [
    "params of the judge",
    withJudge("other"),
    withJudge("other", { "models.1.params": { temperature: 0 } }),
    "scoring check",
  ],
  [
    "what stands in for it",
    withJudge("other"),
    withJudge("other", { "models.1.fallback": ["scripted"] }),
    "scoring check",
  ],
  ["how often it is tried", withJudge("other"), withJudge("other", { "models.1.retry": "aggressive" }), "none"],
  [
    "a judge that the assertion names",
    { [`${test}.assert`]: [{ type: "judge", criteria: "c", model: "other" }] },
    { [`${test}.assert`]: [{ type: "judge", criteria: "c", model: "scripted" }] },
    "scoring check",
  ],
  [
    "one that approves answers",
    { [`${test}.assert`]: checked, [`${test}.retry_until`]: approved.retry_until, [`${test}.judge`]: "other" },
    { [`${test}.assert`]: checked, [`${test}.retry_until`]: approved.retry_until, [`${test}.judge`]: "scripted" },
    "setup scoring check",
  ],
  ["another embedding model", withEmbedder("other"), withEmbedder("scripted"), "scoring check"],
  [
    "another place of the same embedding model",
    withEmbedder("other"),
    { [`${test}.assert`]: embedded, "defaults.embedder": "other" },
    "none",
  ],
  ["an embedding model that is not asked", { "defaults.embedder": "other" }, {}, "none"],
  ["one that is not asked", { "defaults.judge": "other" }, {}, "none"],
])("%s: %#", async (_what, one, other, changed) => {
  expect(differences(await identityAfter(one), await identityAfter(other))).toBe(changed);
});
