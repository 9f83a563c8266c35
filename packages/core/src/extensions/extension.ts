/** Marks what a module registers, also if the module has loaded another copy of this package. */
export const extensionMark = Symbol.for("kindlm.extension");

/** What a module says of a member that it registers. The worker sends it as data. */
export type DeclaredExtension =
  | { family: "assertion"; type: string; summary: string; options: object }
  | { family: "provider"; type: string; label: string; options: object }
  | { family: "target"; type: string; options: object }
  | { family: "reporter"; type: string; summary: string; extension: string; format: string };

export type ExtensionFamily = DeclaredExtension["family"];

/** The value with what it registers; a module exports it. */
export function registering<T extends object>(value: T, declared: DeclaredExtension): T {
  return Object.assign(value, { [extensionMark]: declared });
}
