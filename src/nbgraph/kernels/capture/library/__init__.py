"""Functions of other libraries as plain scalar texts, captured like the user's own.

special         scipy.special, written with the functions of `vector_math`
distributions   scipy.stats, method by method
dates           datetime: dates, moments and differences of whole days and seconds
heaps           heapq and bisect
solvers         scipy.optimize and scipy.integrate: roots and integrals of functions
"""
