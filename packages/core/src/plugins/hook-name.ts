import type { Plugin } from "./define-plugin.js";

export const observerNames = [
  "providerFailed",
  "toolFailed",
  "trialEnded",
  "runEnded",
] as const satisfies (keyof Plugin)[];
export const deciderNames = ["preToolUse", "postToolUse"] as const satisfies (keyof Plugin)[];

export type ObserverName = (typeof observerNames)[number];
export type DeciderName = (typeof deciderNames)[number];
export type HookName = ObserverName | DeciderName;

export const hookNames: readonly HookName[] = [...observerNames, ...deciderNames];
