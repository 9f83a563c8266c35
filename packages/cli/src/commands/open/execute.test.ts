import { expect, it } from "vitest";
import { browserFor, whyNoBrowser } from "./execute.js";

it.each<[system: string, env: Record<string, string>, program: readonly string[] | string]>([
  ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["linux", {}, "No display was found"],
  ["darwin", {}, ["open"]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
  ["darwin", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, "No browser is opened over SSH"],
  ["linux", { DISPLAY: ":0", CI: "true" }, "No browser is opened in CI"],
  ["linux", { SSH_TTY: "/dev/pts/1", BROWSER: "/usr/bin/helper" }, ["/usr/bin/helper"]],
  ["darwin", { BROWSER: "none" }, "BROWSER is none"],
])("on %s with %j it is %j", (system, env, expected) => {
  const why = whyNoBrowser(env, system);
  expect(why ?? browserFor(env, system)).toEqual(expected);
});
