import fc from "fast-check";

const codePoint = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.integer({ min: 0, max: 0xd7_ff }),
  fc.integer({ min: 0xe0_00, max: 0x10_ff_ff }),
);

/**
 * Text of any characters, control characters and such as are none yet among them, but no half of a surrogate pair. What
 * `unit: "binary"` of fast-check gives, which lists all million code points first: a second and 100 MB in each worker.
 */
export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: codePoint.map((point) => String.fromCodePoint(point)) });
