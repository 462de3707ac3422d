// Which passwords are refused, and with which sentence. Pure: the same text and user name give the same answer.
// The rules refuse what stands in lists of leaked passwords or is one step away from it, and leave alone whatever
// has a part that cannot be looked up.
import { COMMON_PHRASES, COMMON_WORDS } from './common-passwords.ts';
import { PASSWORD_LENGTH } from './password-length.ts';

const KEYBOARD_WALKS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  'zaqxswcdevfrbgtnhymju',
  'zaq12wsxcde34rfvbgt56yhn',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1a2b3c4d5e6f7g8h9i0j',
  'a1b2c3d4e5f6g7h8i9j0',
  'a1s2d3f4g5h6j7k8l9',
  'qawsedrftgyhujikolp',
  'qweasdzxc',
  '!@#$%^&*()_+',
  '!"§$%&/()=?',
];
const WALKS = KEYBOARD_WALKS.flatMap((walk) => [walk, [...walk].reverse().join('')]);
const SHORTEST_RUN = 3;

function walkLength(text: string, from: number): number {
  let longest = 0;
  for (const walk of WALKS) {
    let length = Math.max(longest, SHORTEST_RUN - 1);
    while (from + length < text.length && walk.includes(text.slice(from, from + length + 1))) length += 1;
    if (length >= SHORTEST_RUN) longest = Math.max(longest, length);
  }
  return longest;
}

function repeatLength(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && text[end] === text[from]) end += 1;
  return end - from >= SHORTEST_RUN ? end - from : 0;
}

/** How many characters belong to no run of three or more along a keyboard, an alphabet, or one key. */
function unpredictable(text: string): number {
  let at = 0;
  let left = 0;
  while (at < text.length) {
    const run = Math.max(walkLength(text, at), repeatLength(text, at));
    if (run === 0) left += 1;
    at += run || 1;
  }
  return left;
}

function repeatsBlock(text: string): boolean {
  const longestBlock = Math.min(8, Math.floor(text.length / 2));
  for (let size = 1; size <= longestBlock; size += 1) {
    const block = text.slice(0, size);
    if (block.repeat(Math.ceil(text.length / size)).startsWith(text)) return true;
  }
  return false;
}

const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Undoes the usual substitutions. */
function plainWord(text: string): string {
  return [...text].map((character) => LEET[character] ?? character).join('');
}

const LONGEST_EDGE = 6;

/** True for one of the words, alone or twice, with nothing but a few or predictable characters around it. */
function isWordWithEdges(text: string, isKnown: (word: string) => boolean): boolean {
  const [, before = '', core = '', after = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const edges = (before + after).replace(/(19|20)\d\d/, '');
  if (edges.length > LONGEST_EDGE && unpredictable(edges) > 2) return false;
  const word = plainWord(core);
  const half = word.slice(0, word.length / 2);
  return isKnown(word) || isKnown(core) || (half + half === word && isKnown(half));
}

const TOO_SHORT = `The password is too short: it needs at least ${PASSWORD_LENGTH.least} characters.`;
const TOO_LONG = `The password is too long: it may have at most ${PASSWORD_LENGTH.most} characters.`;
const IS_NAME =
  'The password is too easy to guess: it is the user name, or the user name with a few characters.';
const IS_COMMON =
  'The password is too easy to guess: it is a common one, or a common word with a few characters. Three or four unrelated words make a good one.';
const IS_WALK =
  'The password is too easy to guess: it counts, follows the keyboard or repeats itself. Three or four unrelated words make a good one.';

/** The sentence to show when the password is refused; undefined when it may be used. */
export function passwordFault(password: string, username: string): string | undefined {
  const characters = [...password.normalize('NFKC')];
  if (characters.length < PASSWORD_LENGTH.least) return TOO_SHORT;
  if (characters.length > PASSWORD_LENGTH.most) return TOO_LONG;
  const text = characters.join('').toLowerCase();
  const name = username.normalize('NFKC').toLowerCase();
  if (text === name || isWordWithEdges(text, (word) => word.length > 2 && word === plainWord(name)))
    return IS_NAME;
  if (new Set(text).size < 5 || repeatsBlock(text) || unpredictable(text) <= 2) return IS_WALK;
  const bare = text.replace(/[\s_.,-]/g, '');
  const common =
    COMMON_PHRASES.has(bare) ||
    COMMON_WORDS.has(bare) ||
    isWordWithEdges(text, (word) => COMMON_WORDS.has(word));
  return common ? IS_COMMON : undefined;
}
