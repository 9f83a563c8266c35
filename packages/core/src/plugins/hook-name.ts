import type { Plugin } from "./define-plugin.js";

export const observerNames = [
  "providerFailed",
  "toolFailed",
  "trialEnded",
  "runEnded",
] as const satisfies (keyof Plugin)[];
const deciders = ["preToolUse", "postToolUse"] as const satisfies (keyof Plugin)[];

export type ObserverName = (typeof observerNames)[number];
export type HookName = ObserverName | (typeof deciders)[number];

export const hookNames: readonly HookName[] = [...observerNames, ...deciders];
