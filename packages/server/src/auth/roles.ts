import { scopes, type Scope } from "./tokens.js";

/** The roles of people in an organization, the mightiest first. */
export const roles = ["owner", "admin", "member", "viewer"] as const;
export type Role = (typeof roles)[number];

const scopesOfRoles: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  admin: scopes,
  member: ["runs:write", "runs:read", "transcripts:read", "baselines:write"],
  viewer: ["runs:read"],
};

/** What a person with a role may do. */
export function scopesOf(role: string): readonly Scope[] {
  const known = roles.find((one) => one === role);
  return known === undefined ? [] : scopesOfRoles[known];
}
