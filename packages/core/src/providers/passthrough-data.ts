import { isRecord } from "../values/json.js";

/**
 * Data that an adapter kept with its own answer ({@link ProviderResponse.providerData}): plain data, so that a
 * transcript can be stored, under a mark, so that one provider's data is never taken for another's.
 */
export function passthroughData(mark: string, providerData: unknown): Readonly<Record<string, unknown>> | null {
  const kept = isRecord(providerData) ? providerData[mark] : undefined;
  return isRecord(kept) ? kept : null;
}

/** The same for a list of parts, blocks or items that goes back as it came. */
export function passthroughList(mark: string, key: string, providerData: unknown): readonly unknown[] | null {
  const list = passthroughData(mark, providerData)?.[key];
  return Array.isArray(list) ? list : null;
}
