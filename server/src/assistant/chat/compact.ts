// A long history made shorter: what stays, what goes, in which order. Pure. Guards: the order stays; a call of a tool and its
// answers stay or go together; what is said of it adds up.
import { answersOf, callsOf, isInstruction, isSchemaFact, type Message, tokensOf } from './message-facts.ts';

export interface CompactOptions {
  max_tokens: number;
  recent_window: number;
  keep_anchors: boolean;
  preserve_tool_results: boolean;
  preserve_schema_info: boolean;
  /** So many of the newest that nothing else keeps. */
  min_important_messages: number;
  /** Room to leave for a summary, in tokens, where anything goes. */
  reserve_tokens: number;
}

export interface Compaction {
  kept: Message[];
  dropped: Message[];
  anchors: number;
  tokens_before: number;
  tokens_after: number;
}

/** Names of tools by the id of the call. */
function toolNames(messages: readonly Message[]): Map<string, string> {
  return new Map(messages.flatMap(callsOf).map(({ id, name }) => [id, name]));
}

/** For each message the number of those that it stays or goes with: the first of them. */
function groupsOf(messages: readonly Message[]): number[] {
  const groups = messages.map((_message, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (groups[root] !== root) root = groups[root] ?? root;
    return root;
  };
  const calledAt = new Map<string, number>();
  for (const [at, message] of messages.entries()) {
    for (const { id } of callsOf(message)) calledAt.set(id, at);
    for (const id of answersOf(message)) {
      const root = rootOf(calledAt.get(id) ?? at);
      const own = rootOf(at);
      groups[Math.max(root, own)] = Math.min(root, own);
    }
  }
  return groups.map((_group, at) => rootOf(at));
}

interface WeighedMessage {
  message: Message;
  tokens: number;
  group: number;
  stays: boolean;
  isAnchor: boolean;
  /** A call of a tool or its answer. */
  isTool: boolean;
}

function judge(messages: readonly Message[], options: CompactOptions): WeighedMessage[] {
  const { recent_window, keep_anchors, preserve_schema_info, preserve_tool_results } = options;
  const groups = groupsOf(messages);
  const tools = toolNames(messages);
  const judged = messages.map((message, at): WeighedMessage => {
    const isSchema = isSchemaFact(message, tools);
    const isAnchor = keep_anchors && (isInstruction(message) || isSchema);
    const isTool = callsOf(message).length > 0 || answersOf(message).length > 0;
    const isRecent = at >= messages.length - recent_window;
    const stays =
      at === 0 ||
      isRecent ||
      isAnchor ||
      (preserve_schema_info && isSchema) ||
      (preserve_tool_results && isTool);
    return { message, tokens: tokensOf(message), group: groups[at] ?? at, stays, isAnchor, isTool };
  });
  keepImportant(judged, options.min_important_messages);
  const held = new Set(judged.filter(({ stays }) => stays).map(({ group }) => group));
  for (const one of judged) one.stays = held.has(one.group);
  return judged;
}

function keepImportant(judged: readonly WeighedMessage[], count: number): void {
  const others = judged.filter(({ stays }) => !stays);
  if (count > 0) for (const one of others.slice(-count)) one.stays = true;
}

const sum = (judged: readonly WeighedMessage[]) => judged.reduce((total, { tokens }) => total + tokens, 0);

/** Unchanged where it is small enough; else plain chatter goes first, then calls of tools, the oldest first. */
export function compact(messages: readonly Message[], options: CompactOptions): Compaction {
  const judged = judge(messages, options);
  const tokens_before = sum(judged);
  let left = tokens_before;
  const isSmall = tokens_before <= options.max_tokens;
  const wanted = options.max_tokens - (isSmall ? 0 : options.reserve_tokens);
  const gone = new Set<number>();
  const groups = [...Map.groupBy(judged, ({ group }) => group)].filter(([, [first]]) => !first?.stays);
  const isOfTools = (members: readonly WeighedMessage[]) => members.some(({ isTool }) => isTool);
  const order = [
    ...groups.filter(([, members]) => !isOfTools(members)),
    ...groups.filter(([, members]) => isOfTools(members)),
  ];
  for (const [group, members] of order) {
    if (left <= wanted) break;
    gone.add(group);
    left -= sum(members);
  }
  const stay = judged.filter(({ group }) => !gone.has(group));
  return {
    kept: stay.map(({ message }) => message),
    dropped: judged.filter(({ group }) => gone.has(group)).map(({ message }) => message),
    anchors: stay.filter(({ isAnchor }) => isAnchor).length,
    tokens_before,
    tokens_after: left,
  };
}
