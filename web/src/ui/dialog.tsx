// A question or a form over the page. What it holds is made anew each time it opens, so nothing of before is left. Guards: what was
// changed in its form is not lost without a question.
import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './dialog.module.css';
import { BackGuard, DiscardQuestion, LeaveContext, useDraft } from './draft.tsx';

export interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** When nothing of it is on the screen any more. */
  onClosed?: () => void;
  size?: 'md' | 'lg' | 'xl';
  /** Closes by its own buttons only, where a stray click or Escape would lose something. */
  insistent?: boolean;
  children: ReactNode;
}

export function Dialog({ title, opened, onClose, onClosed, children, ...options }: DialogProps) {
  const { size = 'md', insistent = false } = options;
  const { isTouched, isChanged, forget, events } = useDraft();
  const [asks, setAsks] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what opens and closes begins anew
  useEffect(() => {
    setAsks(false);
    forget();
  }, [opened]);
  const leave = () => {
    if (asks || isChanged()) setAsks(!asks);
    else onClose();
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={leave}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      closeOnClickOutside={!insistent}
      closeOnEscape={!insistent}
      centered
      lockScroll={false}
      size={size}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label={title} radius="md">
        <Modal.Body className={classes.body} {...events}>
          {opened ? (
            <LeaveContext value={leave}>
              <h2 className={classes.title}>
                <bdi>{title}</bdi>
              </h2>
              {children}
              {asks ? <DiscardQuestion onDiscard={onClose} onKeep={() => setAsks(false)} /> : null}
              {isTouched ? <BackGuard isChanged={isChanged} /> : null}
            </LeaveContext>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
