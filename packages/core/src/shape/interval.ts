import type { JsonObject } from "../values/json.js";
import { described, nullable, pair } from "./compound.js";
import { rate, rateDifference } from "./scalars.js";
import type { Shape } from "./shape.js";

const rates = pair(rate);
const schema: JsonObject = { type: ["array", "null"], items: rate.schema(), minItems: 2, maxItems: 2 };

/** Wilson 95% interval of a rate. */
export const wilsonInterval: Shape<readonly [number, number] | null> = {
  ...nullable(rates),
  schema: () => ({ description: "Wilson 95% interval", ...schema }),
};

/** 95% interval of a mean of rates. */
export const rateInterval: Shape<readonly [number, number]> = {
  ...rates,
  schema: () => ({ description: "95% interval", ...schema }),
};

/** 95% interval of a difference of rates. */
export const differenceInterval = described("95% interval, never of zero width", pair(rateDifference));
