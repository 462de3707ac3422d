// A question or a form over the page. What it holds is made anew each time it opens, so nothing of before is left.
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog.module.css';

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
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      closeOnClickOutside={!insistent}
      closeOnEscape={!insistent}
      centered
      lockScroll={false}
      size={size}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label={title} radius="md">
        <Modal.Body className={classes.body}>
          {opened ? (
            <>
              <h2 className={classes.title}>
                <bdi>{title}</bdi>
              </h2>
              {children}
            </>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
