import type { Dice } from "../dice.js";
import type { Wire } from "../wire.js";

/**
 * One change of a reply. It changes the reply in place and says whether it could. By its class its maker promises what
 * becomes of the planted call: `keeps` leaves it in the reply, wherever and in whatever form; `spoils` promises nothing.
 */
export interface Step {
  name: string;
  class: "keeps" | "spoils";
  apply(wire: Wire, dice: Dice): boolean;
}
