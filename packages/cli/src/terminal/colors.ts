import picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Styles that return text unchanged if colors are not wanted. */
export const { createColors } = picocolors;
