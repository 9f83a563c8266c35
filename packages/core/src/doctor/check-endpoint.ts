import type { ResolvedModel } from "../config/resolved-model.js";
import type { ProviderAccess } from "../providers/define-provider.js";
import { findPricing } from "../providers/pricing/find-pricing.js";
import { pricesAsOf } from "../providers/pricing/price-table.js";
import { didYouMean } from "../values/nearest-name.js";
import type { Endpoint } from "./collect-endpoints.js";
import type { DoctorCheck } from "./doctor-report.js";
import type { Probed } from "./probe-endpoint.js";
import { isListed, type ModelList } from "./read-model-list.js";
import { renderDuration } from "../values/duration.js";

/** Certificates and signed requests bear a few minutes. */
const mostMs = 5 * 60_000;

type Finding = Omit<DoctorCheck, "provider">;

/** Number of names that are listed if none is similar. */
const mostNames = 5;

/**
 * Everything about one provider. `probed` is null when nothing was sent; `limitsCost` says whether the config has a
 * limit that needs prices.
 */
export function checkEndpoint(
  { title, access, models }: Endpoint,
  probed: Probed | null,
  limitsCost: boolean,
): readonly DoctorCheck[] {
  const findings: Finding[] = [];
  if (access === null) {
    const isModule = models.some(({ definition }) => definition.file !== undefined);
    const message = `${isModule ? "a module answers" : "offline"}, nothing to check`;
    findings.push({ name: "server", status: "info", message });
  } else {
    findings.push(checkKey(access));
    findings.push(
      probed === null
        ? { name: "server", status: "info", message: "not asked (--offline)" }
        : { name: "server", ...probed.check },
    );
    for (const model of models) {
      if (probed?.models) findings.push(...checkListed(model, probed.models));
      findings.push(checkPrice(model, limitsCost));
    }
  }
  return findings.map(({ name, ...finding }) => ({ name, provider: title, ...finding }));
}

function checkKey({ keys, isKeyNeeded, otherKeys }: ProviderAccess): Finding {
  const set = keys.flatMap(({ env, isSet }) => (isSet ? [env] : []));
  if (set.length > 0)
    return { name: "key", status: "ok", message: `${listed(set)} ${set.length === 1 ? "is" : "are"} set` };
  const names = keys.map(({ env }) => env);
  const unset = names.length === 1 ? `${names.join("")} is not set` : `none of ${listed(names)} is set`;
  if (otherKeys !== undefined) return { name: "key", status: "info", message: `${unset}; also searched: ${otherKeys}` };
  if (isKeyNeeded) {
    const fix = `Set ${names.length === 1 ? names.join("") : "one of them"} in your environment or .env file`;
    return { name: "key", status: "failed", message: unset, fix };
  }
  return {
    name: "key",
    status: "info",
    message: names.length === 0 ? "none is configured, requests go without" : `${unset}, requests go without`,
  };
}

/** Says nothing about a model that is missing from the first page of a longer list. */
function checkListed({ id, settings }: ResolvedModel, list: ModelList): readonly Finding[] {
  const { model } = settings;
  const about = { name: "model", model: id } as const;
  if (isListed(model, list)) return [{ ...about, status: "ok", message: `the server lists ${model}` }];
  if (!list.isComplete) return [];
  if (list.names.length === 0) return [{ ...about, status: "warning", message: "the server lists no models" }];
  const some = list.names.slice(0, mostNames).join(", ");
  const fix = didYouMean(model, list.names) ?? `It lists ${some}${list.names.length > mostNames ? ", …" : ""}`;
  const count = list.names.length === 1 ? "the one model" : `the ${list.names.length} models`;
  return [{ ...about, status: "warning", message: `${model} is not among ${count} that the server lists`, fix }];
}

function checkPrice({ id, pricing, definition, settings }: ResolvedModel, limitsCost: boolean): Finding {
  const about = { name: "price", model: id } as const;
  if (pricing !== null) {
    const inTable = findPricing(definition.type, settings.model);
    const isListPrice = inTable?.input === pricing.input && inTable.output === pricing.output;
    const source = isListPrice ? `from the price table of ${pricesAsOf}` : "from the config";
    const message = `$${pricing.input} in, $${pricing.output} out per million tokens`;
    return { ...about, status: "ok", message, details: [source] };
  }
  const fix = "Give the model its pricing: { input, output }, in US dollars per million tokens";
  return limitsCost
    ? { ...about, status: "warning", message: "unknown, so cost limits cannot count this model", fix }
    : { ...about, status: "info", message: "unknown", details: [fix] };
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}

/**
 * Compares this machine's clock with those of the servers; null when none of them said the time. Where they disagree,
 * the one that is nearest counts, because a server's clock can be off too.
 */
export function checkClock(aheadMs: readonly number[]): DoctorCheck | null {
  const [nearest] = aheadMs.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  if (nearest === undefined) return null;
  const about = { name: "clock", provider: null } as const;
  if (Math.abs(nearest) <= mostMs) return { ...about, status: "ok", message: "agrees with the servers" };
  return {
    ...about,
    status: "warning",
    message: `is ${renderDuration(Math.abs(nearest))} ${nearest > 0 ? "behind" : "ahead of"} the servers`,
    fix: "Set the clock: certificates and signed requests are rejected if the time is wrong",
  };
}
