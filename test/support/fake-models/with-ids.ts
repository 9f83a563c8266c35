import type { Answer } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import type { NeutralAnswer } from "./fake-model.js";

let calls = 0;

/** The answer with an id for each call that no other call has, and without a text that says nothing. */
export function withIds({ text, toolCalls }: NeutralAnswer): Answer {
  const numbered = toolCalls.map(({ tool, args }) => {
    calls += 1;
    return { id: `call_fake_${calls}`, tool, args };
  });
  return text === "" ? { toolCalls: numbered } : { text, toolCalls: numbered };
}
