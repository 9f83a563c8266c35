import { createDice } from "./dice.js";
import type { Mutant } from "./draw-mutant.js";
import {
  callEdgeOf,
  containersIn,
  entriesOf,
  getAt,
  holdsName,
  placesIn,
  isContainer,
  removeAt,
} from "./find-places.js";
import { copyOf, encodeWire, type Wire } from "./wire.js";

/** As many changes as one draw makes, at the most. */
const mostSteps = 5;
const mostTries = 400;

/**
 * The smallest reply that still goes wrong: with as few of its changes as possible, then without all that is neither the
 * call nor on the way to it.
 */
export async function shrinkReply(
  mutant: Mutant,
  drawAgain: (allowed: ReadonlySet<number>) => Mutant,
  isWrong: (mutant: Mutant) => Promise<boolean>,
): Promise<Mutant> {
  const allowed = new Set(Array.from({ length: mostSteps }, (_, index) => index));
  let smallest = mutant;
  for (let index = 0; index < mostSteps; index += 1) {
    allowed.delete(index);
    const fewer = drawAgain(allowed);
    if (await isWrong(fewer)) smallest = fewer;
    else allowed.add(index);
  }
  // What was cut or spoilt after it was written cannot be written anew.
  if (smallest.steps.some((step) => step === "cut off" || step === "other bytes")) return smallest;
  return pruned(smallest, isWrong);
}

async function pruned(mutant: Mutant, isWrong: (mutant: Mutant) => Promise<boolean>): Promise<Mutant> {
  let smallest = mutant;
  let tries = 0;
  for (let goesOn = true; goesOn && tries < mostTries;) {
    goesOn = false;
    for (const at of removable(smallest.wire).toReversed()) {
      if ((tries += 1) > mostTries) break;
      const wire = copyOf(smallest.wire);
      removeNumber(wire, at);
      const chunks = [encodeWire(wire, createDice("plain", 0))];
      const smaller = { ...smallest, wire, chunks };
      if (!(await isWrong(smaller))) continue;
      smallest = smaller;
      goesOn = true;
      break;
    }
  }
  return smallest;
}

/** Numbers of what can be taken away without the call: messages first, then what is in them. */
function removable(wire: Wire): readonly number[] {
  return partsOf(wire).flatMap(({ isFree }, index) => (isFree ? [index] : []));
}

function removeNumber(wire: Wire, number: number): void {
  partsOf(wire)[number]?.remove();
}

function partsOf(wire: Wire): readonly { isFree: boolean; remove(): void }[] {
  const { messages } = wire;
  const calls = placesIn(messages).flatMap((place) => {
    const edge = callEdgeOf(place);
    return edge === null ? [] : [getAt(edge)];
  });
  const inCalls = new Set(
    calls.flatMap((call) => containersIn([{ name: null, data: call }]).map(({ container }) => container)),
  );
  const isFree = (value: unknown): boolean => !holdsName(value);
  return [
    ...messages.map((message, index) => ({
      isFree: messages.length > 1 && isFree(message.data),
      remove: () => void messages.splice(index, 1),
    })),
    ...containersIn(messages).flatMap(({ container }) =>
      inCalls.has(container)
        ? []
        : entriesOf(container).map(([key, value]) => ({
            isFree: isContainer(value) ? isFree(value) : isFree(String(value)),
            remove: () => removeAt({ container, key }),
          })),
    ),
  ];
}
