import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Keys, type Key } from "./keys.js";

/** A terminal to type into, and what was done to it. */
function typewriter({ isInForeground = true, isGone = false } = {}) {
  const done: string[] = [];
  const stops = new Set<{ before(): void; after(): void }>();
  const stream = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => {
      if (isGone) throw new Error("setRawMode EIO");
      done.push(isRaw ? "raw" : "cooked");
    },
  });
  const keyboard = {
    stream,
    isInForeground: () => Promise.resolve(isInForeground),
    signal: (name: string) => done.push(name),
  };
  const keys = new Keys(keyboard, (before, after) => {
    const one = { before, after };
    stops.add(one);
    return () => stops.delete(one);
  });
  return { keys, stream, done, stops };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const typed = async (stream: PassThrough, text: string): Promise<void> => {
  stream.write(text);
  await soon();
};

it("names keys, and what they type", async () => {
  const { keys, stream, done } = typewriter();
  const pressed: Key[] = [];
  const stop = keys.listen((key) => pressed.push(key));
  await soon();
  await typed(stream, "TÄ \r\u001b[A\u007f\u0001東");
  expect(pressed.map(({ name, text, ctrl }) => `${ctrl ? "ctrl " : ""}${name}=${text}`)).toEqual([
    "t=T",
    "Ä=Ä",
    "space= ",
    "return=",
    "up=",
    "backspace=",
    "ctrl a=",
    "東=東",
  ]);
  stop();
  expect(done).toEqual(["raw", "cooked"]);
  expect(stream.isPaused()).toBe(true);
});

it("lets Ctrl-C and its kind signal, which is no key", async () => {
  const { keys, stream, done } = typewriter();
  const pressed: Key[] = [];
  keys.listen((key) => pressed.push(key));
  await soon();
  await typed(stream, "\u0003\u001c\u001a");
  expect({ done, pressed }).toEqual({ done: ["raw", "SIGINT", "SIGQUIT", "SIGTSTP"], pressed: [] });
});

it("serves several listeners until the last one ends", async () => {
  const { keys, stream, done, stops } = typewriter();
  const pressed: string[] = [];
  const first = keys.listen(({ name }) => pressed.push(`1${name}`));
  const second = keys.listen(({ name }) => pressed.push(`2${name}`));
  await soon();
  await typed(stream, "a");
  first();
  await typed(stream, "b");
  expect(done).toEqual(["raw"]);
  second();
  second();
  await typed(stream, "c");
  expect({ pressed, done, stops: stops.size }).toEqual({
    pressed: ["1a", "2a", "2b"],
    done: ["raw", "cooked"],
    stops: 0,
  });
  keys.listen(({ name }) => pressed.push(`3${name}`));
  await soon();
  expect(pressed).toEqual(["1a", "2a", "2b", "3c"]);
});

it("leaves the terminal alone while the process is stopped", async () => {
  const { keys, done, stops } = typewriter();
  keys.listen(() => {});
  await soon();
  for (const { before } of stops) before();
  expect(done).toEqual(["raw", "cooked"]);
  for (const { after } of stops) after();
  await soon();
  expect(done).toEqual(["raw", "cooked", "raw"]);
});

it.each([{ isInForeground: false }, { isGone: true }])("reads nothing where it may not: %j", async (world) => {
  const { keys, stream, done } = typewriter(world);
  const stop = keys.listen(() => {});
  await soon();
  expect(stream.listenerCount("keypress")).toBe(0);
  stop();
  expect(done).toEqual([]);
});

it("does not begin to read when nobody listens any longer", async () => {
  const { keys, done } = typewriter();
  keys.listen(() => {})();
  await soon();
  expect(done).toEqual([]);
});

it("ends with the terminal", async () => {
  const { keys, stream, done } = typewriter();
  keys.listen(() => {});
  await soon();
  stream.destroy(new Error("read EIO"));
  await soon();
  expect(done).toEqual(["raw", "cooked"]);
});
