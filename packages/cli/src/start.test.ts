import { describe, expect, it } from "vitest";
import { isOwnError } from "./start.js";

const folders = ["file:///opt/kindlm/cli/dist/", "file:///opt/kindlm/core/dist/"];

function thrown(...frames: string[]): Error {
  return Object.assign(new Error("broken"), { stack: ["Error: broken", ...frames].join("\n") });
}

describe("an error that nobody caught", () => {
  it.each([
    ["code of KindLM as a module", thrown("    at run (file:///opt/kindlm/core/dist/run.js:3:9)"), true],
    ["code of KindLM as a path", thrown("    at run (/opt/kindlm/cli/dist/start.js:3:9)"), true],
    ["its transport", thrown("    at parse (/x/node_modules/undici/lib/client.js:1:2)"), true],
    [
      "a tool that KindLM called",
      thrown("    at exec (file:///home/ada/shop/tools.ts:3:9)", "    at f (file:///opt/kindlm/core/dist/run.js:3:9)"),
      false,
    ],
    [
      "KindLM below Node.js",
      thrown("    at node:internal/process/task_queues:95:5", "    at f (file:///opt/kindlm/core/dist/run.js:3:9)"),
      true,
    ],
    ["a library of a tool", thrown("    at send (/home/ada/shop/node_modules/pg/lib/client.js:3:9)"), false],
    ["a socket nobody listens to", thrown("    at TCP.onStreamRead (node:internal/stream_base_commons:217:20)"), false],
    ["a text that was thrown", "just a text", false],
    ["nothing", undefined, false],
  ])("from %s", (_name, cause, isOwn) => {
    expect(isOwnError(cause, folders)).toBe(isOwn);
  });
});
