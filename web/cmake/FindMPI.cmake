# There is none.
set(MPI_FOUND FALSE)
set(MPI_CXX_FOUND FALSE)
