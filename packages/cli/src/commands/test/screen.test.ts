import { expect, it } from "vitest";
import { fakeStream } from "../../__fixtures__/fake-environment.js";
import { Screen } from "./screen.js";

const up = "\u001b[1A\u001b[2K";

it("takes the prompt away before anything else is printed, also where it was wrapped", async () => {
  const stream = fakeStream({ isTerminal: true, columns: 10 });
  const screen = new Screen(stream, { isClearing: false, canErase: true });
  screen.show(["0123456789abc", "keys"]);
  await screen.print("text\n");
  expect(stream.text()).toBe(`0123456789abc\nkeys\n\r${up.repeat(3)}text\n`);
  await screen.hide();
  expect(stream.text().endsWith("text\n")).toBe(true);
});

it("separates rounds by a line, or by an empty screen", async () => {
  for (const [isClearing, begun] of [
    [false, "\n── now\n"],
    [true, "\u001b[H\u001b[2J\u001b[3J── now\n"],
  ] as const) {
    const stream = fakeStream({ isTerminal: true, columns: 80 });
    await new Screen(stream, { isClearing, canErase: true }).begin("── now");
    expect(stream.text()).toBe(begun);
  }
});

it("uses no control sequence where none is understood, and repeats nothing", async () => {
  const stream = fakeStream();
  const screen = new Screen(stream, { isClearing: true, canErase: false });
  screen.show(["waiting"]);
  await screen.hide();
  screen.show(["waiting"]);
  await screen.begin("── now");
  screen.show(["waiting"]);
  expect(stream.text()).toBe("waiting\n\n── now\nwaiting\n");
});
