import { createRequire } from "node:module";
import type widthOf from "string-width";
import type wrapAt from "wrap-ansi";

// What these libraries prepare when they are loaded, such as a pattern of all emoji, takes as long as a tenth of a short
// run, and few runs show text that needs them. The bundle has them in its own file, which these calls load.
// Only the name determines the type of a module.
const require: (name: string) => { default: typeof widthOf } = createRequire(import.meta.url);
const requireWrapping: (name: string) => { default: typeof wrapAt } = createRequire(import.meta.url);

/** As `string-width`. */
export const stringWidth: typeof widthOf = (...args) => require("string-width").default(...args);

/** As `wrap-ansi`. */
export const wrapAnsi: typeof wrapAt = (...args) => requireWrapping("wrap-ansi").default(...args);
