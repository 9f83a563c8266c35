import { hash } from "node:crypto";

/** How the model that plays the user ends the conversation of one trial. */
export interface EndMarkers {
  goal: string;
  gave_up: string;
  /** What is new in both of them in each trial. */
  id: string;
}

/**
 * The markers of a trial, by the seed of its user: nobody else knows them, so the agent cannot talk the user into writing
 * one, and a recording that holds them says where they were.
 */
export function endMarkersOf(seed: number): EndMarkers {
  const id = hash("sha256", `end of conversation ${seed}`).slice(0, 10);
  return { goal: `###GOAL_REACHED_${id}###`, gave_up: `###GIVE_UP_${id}###`, id };
}

/** What scripts write: they are part of the config and cannot know the markers of a trial. */
export const scriptedMarkers = { goal: "###GOAL_REACHED###", gave_up: "###GIVE_UP###" } as const;
