import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  isOpen: boolean
  onClose(): void
  /** Rises from the lower edge of the screen, with what stays below its scrolling content. */
  sheetFooter?: ReactNode
  children: ReactNode
}

const PLACES = {
  middle: 'm-auto w-[min(26rem,calc(100vw-2rem))] rounded-xl',
  sheet: 'mx-auto mb-0 mt-auto max-h-[88dvh] w-full max-w-xl rounded-t-xl',
} as const

/** A modal dialog: the browser keeps the focus inside, and gives it back when it closes. */
export function Dialog({ title, isOpen, onClose, sheetFooter, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const isPressed = useRef(false)
  useEffect(() => {
    const dialog = element.current
    if (!dialog) return
    if (isOpen && !dialog.open) dialog.showModal()
    if (!isOpen && dialog.open) dialog.close()
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; the click is for its backdrop
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      onPointerDown={(event) => {
        isPressed.current = event.target === element.current
      }}
      onClick={(event) => {
        // A selection of text that ends outside is no click on the backdrop.
        if (event.target === element.current && isPressed.current) onClose()
      }}
      className={`border border-line bg-surface p-0 shadow-(--shadow) ${PLACES[sheetFooter ? 'sheet' : 'middle']}`}
    >
      {isOpen && (
        <div className="p-5">
          <header className="mb-4 flex items-center justify-between">
            <h2 id={titleId} className="text-base font-bold">
              {title}
            </h2>
            <button
              type="button"
              onClick={onClose}
              aria-label="Close"
              className="-m-1 rounded-md p-1 text-faint hover:text-ink"
            >
              <Icon name="close" />
            </button>
          </header>
          {children}
          {sheetFooter && (
            <div className="sticky bottom-0 -mx-5 -mb-5 mt-4 border-t border-line bg-surface px-5 py-3">
              {sheetFooter}
            </div>
          )}
        </div>
      )}
    </dialog>
  )
}
