import { expect, it } from "vitest";
import { fakeEnvironment, fakeStream } from "../__fixtures__/fake-environment.js";
import { wantsColor } from "./wants-color.js";

it.each<[env: Record<string, string>, isTerminal: boolean, flag: boolean, colored: boolean]>([
  [{}, true, true, true],
  [{}, false, true, false],
  [{ TERM: "dumb" }, true, true, false],
  [{ NO_COLOR: "" }, true, true, true],
  [{ NO_COLOR: "1" }, true, true, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, true, false],
  [{ FORCE_COLOR: "1" }, false, true, true],
  [{ FORCE_COLOR: "0" }, true, true, false],
  [{ FORCE_COLOR: "1" }, true, false, false],
  [{ GITHUB_ACTIONS: "true" }, false, true, false],
])("%j, terminal %s, --color %s: %s", (env, isTerminal, flag, colored) => {
  expect(wantsColor(fakeEnvironment({ env }), fakeStream({ isTerminal }), flag)).toBe(colored);
});

it.each<[env: Record<string, string>, colored: boolean]>([
  [{}, false],
  [{ CI: "true", JENKINS_URL: "http://ci" }, false],
  [{ GITHUB_ACTIONS: "true", TERM: "dumb" }, true],
  [{ GITLAB_CI: "true" }, true],
  [{ GITLAB_CI: "true", NO_COLOR: "1" }, false],
  [{ GITLAB_CI: "true", FORCE_COLOR: "0" }, false],
])("a log of CI with %j: %s", (env, colored) => {
  expect(wantsColor(fakeEnvironment({ env }), fakeStream({ isPipe: true }), true)).toBe(colored);
});
