// What letters do on the rows of alerts. Guards: they work only where the link of a row has the focus, so that no letter that is typed
// elsewhere does anything; alone J and K, which only move the focus, also begin where nothing has it.
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { useAskAbout } from '../../../ui/ask-about.ts';
import { fitted } from '../../../ui/explain-fit.ts';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { pressable } from './acknowledge-dialog.tsx';
import { aboutAlert } from './alert-about.ts';
import { type Alert, alertPath } from './alert-words.ts';

/** What a row is about. */
export interface Subject {
  /** The cause first. */
  alerts: readonly Alert[];
  /** The cluster that all of it is in, where several of its servers are concerned. */
  cluster_id: number | null;
  place: string;
}

export interface AlertActions {
  onPress: (alerts: readonly Alert[], isFalsePositive?: boolean) => void;
  onSilence: (subject: Subject) => void;
  /** Opens or folds what belongs to the row. */
  onFold?: (index: number, isOpen: boolean) => void;
}

const rowLink = (frame: HTMLElement | null, index: number) =>
  frame?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`);

const hasModifier = ({ ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>) =>
  ctrlKey || metaKey || altKey;

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** J and K begin with the first row where nothing has the focus. */
function useStart(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const start = (event: globalThis.KeyboardEvent) => {
      const isFree = document.activeElement === document.body;
      if (!isFree || hasModifier(event) || STEPS[event.key.toLowerCase()] === undefined) return;
      rowLink(frame.current, 0)?.focus();
    };
    document.addEventListener('keydown', start);
    return () => document.removeEventListener('keydown', start);
  }, [frame]);
}

export function useMaySilence(): boolean {
  return mayUse(useUser().data, 'manage_blackouts');
}

/** Attaches to what is around the table. */
export function useAlertKeys(subjectAt: (index: number) => Subject | undefined, actions: AlertActions) {
  const frame = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const ask = useAskAbout();
  const maySilence = useMaySilence();
  useStart(frame);
  const act = (key: string, subject: Subject): boolean => {
    const [lead] = subject.alerts;
    if (lead === undefined) return false;
    const chosen = pressable(subject.alerts);
    const isActive = chosen[0]?.status === 'active';
    if (key === 'e') {
      const question = aboutAlert(lead, subject.alerts.slice(1));
      if (ask) ask({ ...question, about: fitted(question.about) });
      else navigate(alertPath(lead.id));
    } else if (key === 's' && maySilence) actions.onSilence(subject);
    else if (chosen.length > 0 && (key === 'a' || (key === 'f' && isActive)))
      actions.onPress(chosen, key === 'f');
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    if (hasModifier(event) || !(target instanceof HTMLElement) || !target.matches('[data-row-link]')) return;
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index);
    const key = event.key.toLowerCase();
    const step = STEPS[key];
    if (step !== undefined) rowLink(frame.current, index + step)?.focus();
    else if (key === 'arrowright' || key === 'arrowleft') actions.onFold?.(index, key === 'arrowright');
    else {
      const subject = subjectAt(index);
      if (!subject || !act(key, subject)) return;
    }
    event.preventDefault();
  };
  return { ref: frame, onKeyDown };
}
