import { expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { builtinTimeouts } from "../config/written-settings.js";
import { success } from "../result.js";
import type { OpenTool } from "../tools/tool-config.js";
import { tooLate } from "../tools/tool-handler.js";
import { ToolRunner } from "../tools/tool-runner.js";
import { createToolTape } from "./tape-tools.js";
import { createTrialTape } from "./trial-tape.js";

it("keeps a call whose time was over before its tool began as one without an answer, and does not begin it", async () => {
  const clock = createManualClock();
  const tape = createTrialTape("c", 1, [], () => true);
  let begun = 0;
  const tool: OpenTool = {
    kind: "open",
    name: "t",
    parameters: {},
    attributes: { readonly: false, no_effect: false },
    recommendations: {},
    timeoutMs: null,
    createHandler: () => ({
      async execute() {
        begun += 1;
        return { ok: true, value: null };
      },
    }),
  };
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const asker = { caseId: "c", trial: 1, file: "f" };
  const { wrap } = createToolTape(
    { id: "c", timeouts: { ...builtinTimeouts, toolMs: 5 } },
    1,
    new AbortController().signal,
    {
      mode: "record",
      tapes: { open: () => opened.then(() => success({ tape, content: null, asker })), keepList: () => {} },
      clock,
      takesTime: false,
      onMiss: () => {},
      redact: (text) => text,
    },
  );
  const tools = wrap([tool]);
  const runner = new ToolRunner({ tools, style: "envelope", recommendations: null, timeoutMs: 5, clock, scope: {} });
  const answering = runner.invoke({ id: "1", tool: "t", args: {} }, { signal: new AbortController().signal });
  expect(clock.advanceToNext()).toBe(true);
  expect((await answering).outcome).toMatchObject(tooLate(5));
  open();
  await opened;
  await expect.poll(() => tape.entries()).toMatchObject([{ tool: "t", timedOut: true }]);
  expect(begun).toBe(0);
});
