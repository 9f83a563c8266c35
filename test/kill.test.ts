import { expect, it, onTestFinished } from "vitest";
import { createRandom } from "../packages/core/src/values/random.js";
import { killAndResume, makeKillProject, startAnswering } from "./support/kill-runs.js";
import { runCli } from "./support/run-cli.js";
import { withoutVolatileFields } from "../packages/core/src/reporters/json/volatile-fields.js";

it("a run that is killed five times loses no finished trial, repeats none, and ends as if nothing had been", async () => {
  const server = await startAnswering();
  onTestFinished(() => server.close());
  const whole = await runCli(["test", "--concurrency", "10", "--reporter", "json"], { cwd: makeKillProject(server) });
  expect(whole.code).toBe(1);
  const resumed = await killAndResume(server, 5, createRandom(20_261_121));
  expect(withoutVolatileFields(resumed)).toEqual(withoutVolatileFields(JSON.parse(whole.stdout)));
});
