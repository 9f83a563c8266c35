import { containersIn, entriesOf, placesIn, removeAt, setAt, type Container } from "../find-places.js";
import type { Dice } from "../dice.js";
import { copyOfValue, type Wire } from "../wire.js";
import type { Step } from "./step.js";

function spoiling(name: string, apply: (wire: Wire, dice: Dice) => boolean): Step {
  return { name, class: "spoils", apply };
}

function drawContainer({ messages }: Wire, dice: Dice): Container | null {
  const found = containersIn(messages);
  return found.length === 0 ? null : dice.pick(found).container;
}

const values: readonly unknown[] = [null, 0, -1, 1e308, "", "x", true, [], {}, [[[]]], { a: { b: {} } }, "\uD800"];

/** Changes after which nobody can say whether the call is still there. */
export const spoilingSteps: readonly Step[] = [
  spoiling("another value", (wire, dice) => {
    const container = drawContainer(wire, dice);
    const entries = container === null ? [] : entriesOf(container);
    if (container === null || entries.length === 0) return false;
    setAt({ container, key: dice.pick(entries)[0] }, copyOfValue(dice.pick(values)));
    return true;
  }),
  spoiling("a value less", (wire, dice) => {
    const container = drawContainer(wire, dice);
    const entries = container === null ? [] : entriesOf(container);
    if (container === null || entries.length === 0) return false;
    removeAt({ container, key: dice.pick(entries)[0] });
    return true;
  }),
  spoiling("no name", (wire) => {
    for (const { edges } of placesIn(wire.messages)) {
      const edge = edges.at(-1);
      if (edge !== undefined) removeAt(edge);
    }
    return true;
  }),
  spoiling("another message", (wire, dice) => {
    wire.messages.splice(dice.int(wire.messages.length + 1), dice.int(2), {
      name: dice.pick([null, "error", "message", "x"]),
      data: wire.framing === "aws-event-stream" ? {} : copyOfValue(dice.pick(values)),
    });
    return true;
  }),
];

/** Changes of the bytes themselves. */
export function spoilBytes(bytes: Buffer, dice: Dice): Buffer {
  const spoilt = Buffer.from(bytes);
  const at = dice.int(Math.max(1, spoilt.length));
  switch (dice.int(4)) {
    case 0:
      for (let index = 0; index <= dice.int(8); index += 1) spoilt[dice.int(spoilt.length)] = dice.int(256);
      return spoilt;
    case 1:
      return spoilt.subarray(at);
    case 2:
      return Buffer.concat([spoilt.subarray(0, at), spoilt.subarray(dice.int(spoilt.length))]);
    default:
      return Buffer.concat([spoilt.subarray(0, at), Buffer.from([dice.int(256)]), spoilt.subarray(at)]);
  }
}
