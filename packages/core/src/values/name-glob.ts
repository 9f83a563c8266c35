/**
 * True when the whole name matches the glob: `*` stands for any text, `?` for one character, all else for itself.
 * Takes time in proportion to glob × name at the most, whatever the glob.
 */
export function matchesNameGlob(glob: string, name: string): boolean {
  let inGlob = 0;
  let inName = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (inName < name.length) {
    const wanted = glob[inGlob];
    if (wanted === "*") {
      lastStar = inGlob;
      resumeAt = inName;
      inGlob += 1;
    } else if (wanted === "?" || wanted === name[inName]) {
      inGlob += 1;
      inName += 1;
    } else if (lastStar !== -1) {
      // The last star takes one character more; earlier stars never have to be tried again.
      resumeAt += 1;
      inGlob = lastStar + 1;
      inName = resumeAt;
    } else {
      return false;
    }
  }
  while (glob[inGlob] === "*") inGlob += 1;
  return inGlob === glob.length;
}
