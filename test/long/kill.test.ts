import { expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../packages/core/src/values/random.js";
import { killAndResume, makeKillProject, startAnswering } from "../support/kill-runs.js";
import { runCli } from "../support/run-cli.js";
import { withoutVolatileFields } from "../../packages/core/src/reporters/json/volatile-fields.js";

it.each([1, 2, 3])("a run that is killed fifty times (seed %i) ends as if nothing had been", async (seed) => {
  const server = await startAnswering();
  onTestFinished(() => server.close());
  const whole = await runCli(["test", "--concurrency", "10", "--reporter", "json"], { cwd: makeKillProject(server) });
  expect(whole.code).toBe(1);
  const resumed = await killAndResume(server, 50, createRandom(seed));
  expect(withoutVolatileFields(resumed)).toEqual(withoutVolatileFields(JSON.parse(whole.stdout)));
});
