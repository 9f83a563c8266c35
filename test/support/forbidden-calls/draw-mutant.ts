import { createDice, type Dice } from "./dice.js";
import { holdsName } from "./find-places.js";
import { harmless, nameMark, planted } from "./planted-call.js";
import { aroundSteps } from "./steps/around-steps.js";
import { callSteps } from "./steps/call-steps.js";
import { spoilBytes, spoilingSteps } from "./steps/spoiling-steps.js";
import type { Step } from "./steps/step.js";
import { streamSteps } from "./steps/stream-steps.js";
import { copyOf, cutIntoChunks, encodeWire, type Wire } from "./wire.js";
import type { NeutralAnswer } from "../fake-models/fake-model.js";

/** What became of the planted call: it is still in the reply, its name is nowhere any more, or nobody can say. */
export type Fate = "there" | "gone" | "unknown";

export interface Mutant {
  fate: Fate;
  /** The changes that were made, in their order; none for the reply as its provider would send it. */
  steps: readonly string[];
  wire: Wire;
  chunks: readonly Buffer[];
}

const keeping: readonly Step[] = [...callSteps, ...aroundSteps, ...streamSteps];

/** An answer with the planted call in it, mostly with a text, so that it would be an answer without the call too. */
export function drawAnswer(dice: Dice): NeutralAnswer {
  const calls = dice.pick([[planted], [planted], [harmless, planted], [planted, harmless]]);
  return { text: dice.chance(0.8) ? "I have looked into it." : "", toolCalls: calls };
}

/**
 * One reply with a few changes.
 *
 * @param allowed - the indices of the drawn changes that are made; null for all of them
 */
export function drawMutant(original: Wire, dice: Dice, allowed: ReadonlySet<number> | null = null): Mutant {
  const spoils = dice.chance(0.15);
  const count = dice.pick([0, 1, 1, 1, 2, 2, 3, 5]);
  let wire = copyOf(original);
  const steps: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const pool = spoils && dice.chance(0.5) ? spoilingSteps : keeping;
    const step = dice.pick(pool);
    // Dice of its own for each step, so that one that is left out changes no other.
    const own = createDice(dice.int(2 ** 31));
    if (allowed?.has(index) === false) continue;
    const changed = copyOf(wire);
    if (!step.apply(changed, own)) continue;
    if (step.class === "keeps" && !spoils && !isMarked(changed)) continue;
    wire = changed;
    steps.push(step.name);
  }
  const transport = createDice(dice.int(2 ** 31));
  const wasOrdered = !steps.some((name) => movingSteps.has(name));
  return { ...sent(wire, steps, spoils, wasOrdered, transport), wire };
}

/** After these the call may come behind what ends the answer, so that a reply that is cut may be whole without it. */
const movingSteps: ReadonlySet<string> = new Set([
  ...streamSteps.map(({ name }) => name),
  "another end",
  "elsewhere in a list",
  "under another key",
  "another name of the message",
  "another type",
]);

/** Of a piece of a name, under a key that nobody knows, no one can say what it is a piece of. */
const renaming: ReadonlySet<string> = new Set([
  "a name that looks the same",
  "another key of the name",
  "another name beside",
  "another key on the way",
  "another type",
  "another name of the message",
  "elsewhere in a list",
  "under another key",
  "not in its list",
  "in another choice",
]);

function sent(wire: Wire, steps: string[], spoils: boolean, wasOrdered: boolean, dice: Dice): Omit<Mutant, "wire"> {
  const whole = encodeWire(wire, dice);
  const isTorn = steps.includes("the name in pieces") && steps.some((name) => renaming.has(name));
  let fate: Fate = spoils || isTorn ? "unknown" : "there";
  let bytes = whole;
  if (dice.chance(0.05)) {
    bytes = whole.subarray(0, dice.int(whole.length));
    steps.push("cut off");
    if (!wasOrdered) fate = "unknown";
  } else if (spoils && dice.chance(0.3)) {
    bytes = spoilBytes(whole, dice);
    steps.push("other bytes");
  }
  if (fate !== "there" && !bytes.toString("latin1").includes(nameMark)) fate = "gone";
  return { fate, steps, chunks: cutIntoChunks(bytes, dice) };
}

function isMarked({ messages }: Wire): boolean {
  return messages.some(({ data }) => holdsName(data));
}
