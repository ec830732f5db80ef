import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { readFigure, type Unit, writeFigure } from '../lib/read-figure.ts'
import { PAGES, useParameter } from './url-state.ts'

const TYPING_MS = 400

/**
 * A typed figure that the URL holds after a pause, as a number. What is typed at once is one step for the browser's back button.
 * A text that is no figure does not get into the URL.
 */
export function useUrlFigure(name: string, unit: Unit) {
  const { value, write } = useParameter(name)
  const [text, setText] = useState(() => writeFigure(value ?? '', unit))
  const [isTyping, setTyping] = useState(false)
  const written = useRef(value)
  const hasStep = useRef(false)
  const { value: figure, problem } = readFigure(text, unit)

  useEffect(() => {
    if (value === written.current) return
    written.current = value
    setText(writeFigure(value ?? '', unit))
  }, [value, unit])

  const commit = () => {
    const next = figure ?? undefined
    const isNew = (next === undefined ? undefined : String(next)) !== written.current
    if (problem !== null || !isNew) return
    written.current = next === undefined ? undefined : String(next)
    write(next, { replace: hasStep.current, reset: PAGES })
    hasStep.current = true
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `commit` is new each time
  useEffect(() => {
    if (!isTyping) return
    const timer = setTimeout(commit, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, isTyping])

  const finish = () => {
    commit()
    hasStep.current = false
    setTyping(false)
    // What the service has refused stays as it was typed.
    if (figure !== null) setText(writeFigure(figure, unit))
  }
  return {
    problem: isTyping ? null : problem,
    input: {
      value: text,
      onChange: ({ target }: { target: { value: string } }) => {
        setTyping(true)
        setText(target.value)
      },
      onBlur: (_: FocusEvent) => finish(),
      onKeyDown: ({ key }: KeyboardEvent) => {
        if (key === 'Enter') finish()
      },
    },
  }
}
