import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sendJson, type Handler } from "../../__fixtures__/start-server.js";
import { completion, judged, live, projectOf, runWritten, withServer } from "../../__fixtures__/judged-project.js";

const good: Handler = (_request, response) => sendJson(response, 200, completion('{"reasoning":"ok","score":1}'));
const down: Handler = (_request, response) => sendJson(response, 503, { error: { message: "overloaded" } });
/** A good answer and what it costs: 100 tokens for $10, and 10 for $100 a million. */
const priceUsd = 0.002;

describe("a judge that is down", () => {
  it("makes the trial errored, is reported with its cause, and leaves the other results", async () => {
    await withServer(down, async (server, judge) => {
      const assert = `{ type: contains, value: today }, ${judged}, { type: contains, value: It }`;
      const { verdicts, trial, summary } = await runWritten({ judge, more: live(server), assert });
      expect(verdicts[0]).toMatch(/^s\/t@m errored JUDGE_EVAL_ERROR: The judge j could not be asked: .*overloaded/);
      expect(trial.error?.details).toMatchObject({ judge: "j", tries: 1, causedBy: { code: "PROVIDER_API_ERROR" } });
      expect(trial.assertions.map(({ type, pass }) => [type, pass])).toEqual([
        ["contains", true],
        ["contains", true],
        ["judge", false],
      ]);
      expect(server.requests).toHaveLength(3);
      expect([summary.judges?.requests, summary.requests, summary.failures.llm_api]).toEqual([3, 1, 3]);
    });
  });

  it("changes nothing for a trial that a deterministic assertion has failed", async () => {
    await withServer(down, async (server, judge) => {
      const assert = `{ type: contains, value: tomorrow }, ${judged}`;
      expect((await runWritten({ judge, more: live(server), assert })).verdicts).toEqual(["s/t@m failed"]);
    });
  });

  it("is stood in for by its fallback, which needs no permission, and which goes on", async () => {
    const script = "provider: scripted, script: { otherwise: { json: { reasoning: ok, score: 0.8 } } }";
    await withServer(down, async (server, judge) => {
      const more = live(server);
      const config = { judge: `${judge}, fallback: [k] }\n  - { id: k, ${script}`, more, test: "models: [m]" };
      const { verdicts, first, trial } = await runWritten({ ...config, assert: `${judged}, ${judged}` });
      expect(verdicts).toEqual(["s/t@m passed"]);
      expect(first?.judge?.votes[0]?.model).toBe("k");
      expect(trial.judging?.calls.map(({ model, fallback }) => [model, fallback])).toEqual([
        ["j", "k"],
        ["j", "k"],
      ]);
      expect(trial.fallback).toBeNull();
      expect(server.requests).toHaveLength(3);
    });
  });

  it("is asked again by --resume, and the agent is not", async () => {
    let isUp = false;
    await withServer(
      (request, response) => (isUp ? good : down)(request, response),
      async (server, judge) => {
        const cwd = projectOf({ judge, more: live(server), assert: `{ type: contains, value: today }, ${judged}` });
        const before = await runWritten({}, {}, cwd);
        expect(before.trial.status).toBe("errored");
        isUp = true;
        const { trial, summary, verdicts } = await runWritten({}, { resume: "last" }, cwd);
        expect(verdicts).toEqual(["s/t@m passed"]);
        expect(trial.turns).toEqual(before.trial.turns);
        expect(trial.judging?.calls).toHaveLength(2);
        expect(trial.costUsd).toBeCloseTo(priceUsd, 9);
        expect([summary.requests, summary.judges?.requests]).toEqual([1, 4]);
        expect(summary.costUsd).toBeCloseTo(priceUsd, 9);
      },
    );
  });
});

describe("the money of judges", () => {
  it("is unknown where their price is", async () => {
    await withServer(good, async (server, judge) => {
      const unpriced = judge.replace(/, pricing.*$/, "");
      const { trial, summary, first } = await runWritten({ judge: unpriced, more: live(server) });
      expect([trial.costUsd, trial.unpricedRequests, first?.judgingCostUsd]).toEqual([null, 1, null]);
      expect(summary).toMatchObject({ costUsd: null, unpricedRequests: 1, judges: { costUsd: null } });
    });
  });

  it("is taken from max_cost, beyond which no judge is asked", async () => {
    await withServer(good, async (server, judge) => {
      const more = live(server, `limits: { max_cost: ${priceUsd * 1.5} }`);
      const { verdicts, trial } = await runWritten({ judge, more, assert: `${judged}, ${judged}, ${judged}` });
      expect(verdicts[0]).toContain("JUDGE_EVAL_ERROR: The judge j could not be asked: max_cost of $0.003 is used up");
      expect(trial.error?.details).toMatchObject({ causedBy: { code: "ENGINE_BUDGET_EXCEEDED", limit: "max_cost" } });
      expect(server.requests).toHaveLength(2);
    });
  });

  it("stays spent when the run goes on", async () => {
    await withServer(good, async (server, judge) => {
      const cwd = projectOf({ judge, more: live(server) });
      await runWritten({}, {}, cwd);
      const file = `${cwd}/kindlm.yaml`;
      writeFileSync(file, readFileSync(file, "utf8").replace("Says when", "Tells when"));
      const { verdicts } = await runWritten({}, { resume: "last", maxCostUsd: priceUsd }, cwd);
      expect(verdicts[0]).toContain("max_cost of $0.002 is used up");
      expect(server.requests).toHaveLength(1);
    });
  });

  it("is not taken from max_trial_cost, which is for the conversation", async () => {
    await withServer(good, async (server, judge) => {
      const config = {
        judge,
        more: live(server, "limits: { max_trial_cost: 0.0001 }"),
        assert: `${judged}, ${judged}`,
      };
      const { verdicts, trial } = await runWritten(config);
      expect(verdicts).toEqual(["s/t@m passed"]);
      expect(trial.costUsd).toBeCloseTo(2 * priceUsd, 9);
    });
  });

  it("stays spent where the conversation is judged again by other criteria", async () => {
    await withServer(good, async (server, judge) => {
      const cwd = projectOf({ judge, more: live(server) });
      await runWritten({}, {}, cwd);
      const file = `${cwd}/kindlm.yaml`;
      writeFileSync(file, readFileSync(file, "utf8").replace("Says when", "Tells when"));
      const { trial, summary } = await runWritten({}, { resume: "last" }, cwd);
      expect(server.requests).toHaveLength(2);
      expect(trial.judging?.calls).toHaveLength(2);
      expect(trial.costUsd).toBeCloseTo(2 * priceUsd, 9);
      expect(summary.costUsd).toBeCloseTo(2 * priceUsd, 9);
      expect(summary.requests).toBe(1);
    });
  });

  it("is recorded where a conversation is judged again, and the conversation stays recorded", async () => {
    await withServer(good, async (server, judge) => {
      const cwd = projectOf({ judge, agent: `provider: live, model: agent`, more: live(server) });
      await runWritten({}, { cassette: "auto" }, cwd);
      const file = `${cwd}/kindlm.yaml`;
      writeFileSync(file, readFileSync(file, "utf8").replace("Says when", "Tells when"));
      await runWritten({}, { cassette: "auto", resume: "last" }, cwd);
      expect(server.requests).toHaveLength(3);
      const { verdicts } = await runWritten({}, { cassette: "replay" }, cwd);
      expect(verdicts).toEqual(["s/t@m passed"]);
    });
  });

  it("is not spent again on what was recorded", async () => {
    await withServer(good, async (server, judge) => {
      const cwd = projectOf({ judge, more: live(server), assert: "{ type: judge, criteria: c, samples: 2 }" });
      const recorded = await runWritten({}, { cassette: "record" }, cwd);
      const { trial, summary, first } = await runWritten({}, { cassette: "replay", maxCostUsd: priceUsd }, cwd);
      expect(server.requests).toHaveLength(2);
      expect(first?.judge).toEqual(recorded.first?.judge);
      expect(trial.judging?.calls.map(({ replayed }) => replayed)).toEqual([true, true]);
      expect([summary.replayed, trial.costUsd]).toEqual([2, recorded.trial.costUsd]);
    });
  });
});

describe("a judge in the course of a conversation", () => {
  const scores: Handler = ({ number }, response) =>
    sendJson(response, 200, completion(`{"reasoning":"Vague.","score":${number < 3 ? 0 : 1}}`));

  it("approves answers for retry_until", async () => {
    await withServer(scores, async (server, judge) => {
      const test = `retry_until: { assert: [${judged}], max_tries: 5 }`;
      const { verdicts, trial } = await runWritten({
        judge,
        more: live(server),
        test,
        assert: "{ type: contains, value: today }",
      });
      expect(verdicts).toEqual(["s/t@m passed"]);
      expect(trial.tries?.rejected.map(({ reason }) => reason)).toEqual([
        expect.stringContaining('the judge j gave 0: "Vague."'),
        expect.stringContaining('the judge j gave 0: "Vague."'),
      ]);
      expect(trial.judging?.requests).toBe(3);
      expect(trial.costUsd).toBeCloseTo(3 * priceUsd, 9);
    });
  });

  it("judges what came of a conversation with a simulated user, who is counted apart from it", async () => {
    await withServer(good, async (server, judge) => {
      const user =
        "{ otherwise: { text: '###GOAL_REACHED###' }, rules: [{ when: { turn: 1 }, reply: { text: Hello } }] }";
      const { verdicts, trial, summary } = await runWritten({
        judge: `${judge} }\n  - { id: u, provider: scripted, script: ${user}`,
        more: live(server),
        input: "",
        test: "simulated_user: { goal: g, model: u }",
      });
      expect(verdicts).toEqual(["s/t@m passed"]);
      expect(server.requests[0]?.body).toContain('by=\\"user\\">\\nHello');
      expect([trial.simulatedUser?.requests, trial.judging?.requests, trial.attempts]).toEqual([2, 1, 1]);
      expect(trial.costUsd).toBeCloseTo(priceUsd, 9);
      expect([summary.simulatedUser?.costUsd, summary.judges?.costUsd]).toEqual([0, trial.costUsd]);
    });
  });

  it("stops the trial where it is down then, and the trial runs again", async () => {
    let isUp = false;
    await withServer(
      (request, response) => (isUp ? good : down)(request, response),
      async (server, judge) => {
        const test = `retry_until: { assert: [${judged}] }`;
        const cwd = projectOf({ judge, more: live(server), test, assert: "{ type: contains, value: today }" });
        expect((await runWritten({}, {}, cwd)).verdicts[0]).toContain("JUDGE_EVAL_ERROR");
        isUp = true;
        const { verdicts, summary } = await runWritten({}, { resume: "last" }, cwd);
        expect(verdicts).toEqual(["s/t@m passed"]);
        expect([summary.requests, summary.judges?.requests]).toEqual([2, 4]);
      },
    );
  });
});
