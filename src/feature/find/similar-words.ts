// Words of names that are similar: in another transliteration of the same letters, or with one letter changed. Only of
// words in the letters a to z, which `spell` makes of most alphabets.

/** In this order; what is written in several ways becomes one, which is not a spelling. */
const folds: readonly (readonly [from: RegExp, to: string])[] = [
  [/tsch|tch|cz/g, "ch"],
  [/sch/g, "sh"],
  [/dzh|zh|dj/g, "j"],
  [/kh/g, "h"],
  [/ph/g, "f"],
  [/th/g, "t"],
  [/ts|tz/g, "z"],
  [/x/g, "ks"],
  [/ck|c(?!h)|q/g, "k"],
  [/w/g, "v"],
  [/z/g, "s"],
  [/ou|u/g, "o"],
  [/(?<![ae])ie|ee|y|j/g, "i"],
  [/e/g, "a"],
  [/(.)\1+/g, "$1"],
];

export function foldWord(word: string): string {
  return folds.reduce((folded, [from, to]) => folded.replaceAll(from, to), word);
}

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");

/** Words with a letter changed, added or left out, or two neighbours swapped. Shorter words have too many. */
export function oneLetterApart(word: string): readonly string[] {
  if (!/^[a-z]{4,24}$/.test(word)) return [];
  const places = Array.from({ length: word.length + 1 }, (_, at) => {
    const [before, here, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
    const added = letters.map((letter) => before + letter + here + after);
    if (here === "") return added;
    const next = after.slice(0, 1);
    return [
      ...added,
      ...letters.map((letter) => before + letter + after),
      before + after,
      before + next + here + after.slice(1),
    ];
  });
  return [...new Set(places.flat())].filter((one) => one !== word);
}
