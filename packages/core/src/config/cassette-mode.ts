/**
 * `record` asks and keeps the answers, `replay` answers from what was kept and asks nobody, `auto` asks for what is not
 * kept yet.
 */
export const cassetteModes = ["auto", "record", "replay", "off"] as const;
export type CassetteMode = (typeof cassetteModes)[number];

/** Whether recorded answers take as long as they once did. */
export const cassetteLatencies = ["none", "recorded"] as const;
export type CassetteLatency = (typeof cassetteLatencies)[number];
