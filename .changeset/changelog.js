/** The lists of changes, for users: what changed, without commits and without packages that only follow. */

/** @param {{ summary: string }} changeset */
export const getReleaseLine = ({ summary }) => `- ${summary.trim().replaceAll(/\n(?=.)/g, "\n  ")}`;

export const getDependencyReleaseLine = () => "";
