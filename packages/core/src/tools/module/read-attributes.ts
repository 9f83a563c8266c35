import { isRecord } from "../../values/json.js";

/** `{ access: "read" }`, `{ mutates: false }` and `{ safe: true }` are the older words of KODE for the same. */
export function readAttributes(written: unknown): { readonly: boolean; noEffect: boolean } {
  if (!isRecord(written)) return { readonly: false, noEffect: false };
  const { readonly, noEffect, access, mutates, safe } = written;
  return {
    readonly: readonly === true || (readonly === undefined && (access === "read" || mutates === false)),
    noEffect: noEffect === true || (noEffect === undefined && safe === true),
  };
}
