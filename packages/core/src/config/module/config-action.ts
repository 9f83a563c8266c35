import { moduleAction } from "../../modules/module-action.js";
import type { ObjectProblem } from "../source/read-object.js";
import type { ConfigContext } from "./define-config.js";

/** What became of a config module: its config as plain data, with what no config can hold; or the exports that it has instead. */
export type ConfigOutcome = { value: unknown; problems: readonly ObjectProblem[] } | { exported: readonly string[] };

/** Loads a config module, and computes its config. */
export const readConfigAction = moduleAction<ConfigContext, ConfigOutcome>("read-config");
