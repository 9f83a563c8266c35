import * as fc from "fast-check";

const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant("image" as const),
    source: fc.constantFrom(
      { kind: "url" as const, url: "https://example.com/x.png" },
      { kind: "base64" as const, mediaType: "image/png", data: "AAAA" },
    ),
  }),
);

/** What a user says, as any API can carry it. */
export const userContent = fc.oneof(fc.string({ minLength: 1 }), fc.array(part, { minLength: 1, maxLength: 3 }));
