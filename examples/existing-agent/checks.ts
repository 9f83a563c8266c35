import type { Trial } from "@kindlm/core";

/** Passes if every order in the answer is one that the user asked about. */
export function namesOnlyAskedOrders({ output, messages }: Trial) {
  const idsIn = (text: unknown) => new Set(JSON.stringify(text ?? "").match(/ORD-\d+/g));
  const asked = idsIn(messages?.filter(({ role }) => role === "user"));
  const strangers = [...idsIn(output)].filter((id) => !asked.has(id));
  return { pass: strangers.length === 0, message: `The answer names ${strangers.join(", ") || "no other order"}` };
}
