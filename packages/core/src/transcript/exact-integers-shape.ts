import { mapOf } from "../shape/compound.js";
import { text } from "../shape/scalars.js";
import type { Shape } from "../shape/shape.js";
import type { ExactIntegers } from "../values/exact-integers.js";

export const exactIntegersShape: Shape<ExactIntegers> = mapOf(text);
