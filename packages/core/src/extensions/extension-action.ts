import { moduleAction } from "../modules/module-action.js";
import type { DeclaredExtension } from "./define-assertion.js";

/** What an export of a module registers. Its content is what the module says: nothing of it has been checked. */
export interface FoundExtension {
  exportName: string;
  declared: { [Key in keyof DeclaredExtension]?: unknown };
}

/** Lists what a module registers. */
export const listExtensionsAction = moduleAction<null, readonly FoundExtension[]>("list-extensions");
