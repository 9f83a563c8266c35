export const versionHeader = "anthropic-version";
/** The version of the API that requests ask for, unless the config names one. */
export const apiVersion = "2026-10-21";
